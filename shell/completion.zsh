__cudaenv_complete() {
  local line
  local -a values shown
  while IFS= read -r line; do
    values+=("${line%%$'\t'*}")
    shown+=("${line%%$'\t'*}  -- ${line#*$'\t'}")
  done < <(@PROGRAM@ complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#values )); then
    compadd -l -d shown -a values
  else
    _default
  fi
}
# Without compinit there is no completion to add to.
if (( ${+functions[compdef]} )); then compdef __cudaenv_complete cudaenv; fi
