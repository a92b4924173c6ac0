export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The command with which the scripts request candidates; hidden from people. */
export const COMPLETE = '__complete';

const BASH = `# bash completion for xsvc
_xsvc() {
  local program="\${1:-xsvc}" line prefix glued='' i
  local -a words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do
    # "=" and ":" come as words of their own, though they are parts of one.
    if [[ \${#words[@]} -gt 0 && ( -n "$glued" || "\${COMP_WORDS[i]}" == [=:]* ) ]]; then
      words[\${#words[@]}-1]+="\${COMP_WORDS[i]}"
    else
      words+=("\${COMP_WORDS[i]}")
    fi
    glued=''
    [[ "\${COMP_WORDS[i]}" == *[=:] ]] && glued=1
  done
  local current="\${words[\${#words[@]}-1]}"
  prefix="\${current%"\${current##*[=:]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    COMPREPLY+=("\${line#"$prefix"}")
  done < <("$program" ${COMPLETE} "\${words[@]}" 2>/dev/null)
  # What ends in "=" goes on.
  [[ "\${COMPREPLY[*]}" == *= ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _xsvc xsvc
`;

const ZSH = `#compdef xsvc
# zsh completion for xsvc
_xsvc() {
  local line
  local -a candidates
  for line in "\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] || continue
    candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#candidates} )); then
    _describe 'xsvc' candidates
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _xsvc ]]; then
  _xsvc "$@"
else
  compdef _xsvc xsvc
fi
`;

const FISH = `# fish completion for xsvc
function __xsvc_candidates
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  $program ${COMPLETE} $words (commandline -ct) 2>/dev/null
end
complete -c xsvc -f -a '(__xsvc_candidates)'
complete -c xsvc -s f -l filename -r -F
complete -c xsvc -l patch-file -r -F
complete -c xsvc -l config -r -F
`;

/** The completion scripts by shell. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
