# Before each prompt: nothing while nothing changed, which __cudaenv_same finds out without a
# process; else the program says what to do. It also writes the next __cudaenv_same.
typeset -g __cudaenv_program=@PROGRAM@ __cudaenv_state="${__cudaenv_state-}"
__cudaenv_same() { return 1 }

__cudaenv_look() {
  local __cudaenv_code
  [[ -x "$__cudaenv_program" ]] || return
  if __cudaenv_code="$("$__cudaenv_program" hook zsh "$__cudaenv_state" </dev/null)"; then
    eval "$__cudaenv_code"
  else
    # It has said why. In another folder it may be otherwise.
    typeset -g __cudaenv_key="$PWD"
    __cudaenv_same() { [[ "$PWD" == "$__cudaenv_key" ]] }
  fi
}

__cudaenv_prompt() {
  __cudaenv_same || __cudaenv_look || :
}

if [[ -o interactive ]]; then
  typeset -ga precmd_functions
  # Taken out first, so that it is there once however often this is read.
  precmd_functions=("${(@)precmd_functions:#__cudaenv_prompt}" __cudaenv_prompt)
fi
