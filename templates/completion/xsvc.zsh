#compdef xsvc
# zsh completion for xsvc
_xsvc() {
  local line
  local -a candidates
  for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] || continue
    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( ${#candidates} )); then
    _describe 'xsvc' candidates
  else
    _files
  fi
}
if [[ "${funcstack[1]}" == _xsvc ]]; then
  _xsvc "$@"
else
  compdef _xsvc xsvc
fi
