# shellcheck shell=bash
__cudaenv_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <(@PROGRAM@ complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
# What the program has no answer to is a file or a command.
complete -o bashdefault -o default -F __cudaenv_complete cudaenv
