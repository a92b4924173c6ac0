# bash completion for xsvc
_xsvc() {
  local line prefix glued='' i
  local -a words=() program=("${1:-xsvc}")
  # A shell does not expand an alias in a variable.
  [[ -n "${BASH_ALIASES[$program]:-}" ]] && eval "program=(${BASH_ALIASES[$program]})"
  for ((i = 1; i <= COMP_CWORD; i++)); do
    # "=" and ":" come as separate words, though they are parts of one.
    if [[ ${#words[@]} -gt 0 && ( -n "$glued" || "${COMP_WORDS[i]}" == [=:]* ) ]]; then
      words[${#words[@]}-1]+="${COMP_WORDS[i]}"
    else
      words+=("${COMP_WORDS[i]}")
    fi
    glued=''
    [[ "${COMP_WORDS[i]}" == *[=:] ]] && glued=1
  done
  local current="${words[${#words[@]}-1]}"
  prefix="${current%"${current##*[=:]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    line="${line%%$'\t'*}"
    COMPREPLY+=("${line#"$prefix"}")
  done < <("${program[@]}" __complete "${words[@]}" 2>/dev/null)
  # What ends in "=" goes on.
  [[ "${COMPREPLY[*]}" == *= ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _xsvc xsvc
