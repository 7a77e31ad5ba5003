# shellcheck shell=bash disable=SC2016,SC2128,SC2178,SC2317
# Before each prompt: nothing while nothing changed, which __cudaenv_same finds out without a
# process; else the program says what to do. It also writes the next __cudaenv_same.
__cudaenv_program=@PROGRAM@
: "${__cudaenv_state=}"
__cudaenv_same() { return 1; }

__cudaenv_look() {
  local __cudaenv_code
  [[ -x $__cudaenv_program ]] || return
  if __cudaenv_code=$("$__cudaenv_program" hook bash "$__cudaenv_state" </dev/null); then
    eval "$__cudaenv_code"
  else
    # It has said why. In another folder it may be otherwise.
    __cudaenv_key=$PWD
    __cudaenv_same() { [[ $PWD == "$__cudaenv_key" ]]; }
  fi
}

# Under `set -e` a status other than 0 would end the shell; bash itself shows the right one.
__cudaenv_prompt() {
  local __cudaenv_status=$?
  __cudaenv_same || __cudaenv_look || :
  [[ $- == *e* ]] || return "$__cudaenv_status"
}

# As an element where there are several commands, else on a line of its own. A child that inherits
# the variable has no function, so the line calls what a variable of this shell names.
__cudaenv_attach() {
  local attributes
  attributes=$(declare -p PROMPT_COMMAND 2>/dev/null) || attributes=
  if [[ ${PROMPT_COMMAND[*]-} == *'${__cudaenv_hook-}'* ]]; then return; fi
  case ${attributes%%PROMPT_COMMAND*} in
    *-*r*) printf 'cudaenv: PROMPT_COMMAND is read-only here, so projects do not switch\n' >&2 ;;
    *-*a*) PROMPT_COMMAND+=('${__cudaenv_hook-}') ;;
    *) PROMPT_COMMAND=${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}'${__cudaenv_hook-}' ;;
  esac
}
if [[ $- == *i* ]]; then
  __cudaenv_hook=__cudaenv_prompt
  __cudaenv_attach
fi
