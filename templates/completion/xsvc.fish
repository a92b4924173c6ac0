# fish completion for xsvc
function __xsvc_candidates
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  $program __complete $words (commandline -ct) 2>/dev/null
end
complete -c xsvc -f -a '(__xsvc_candidates)'
complete -c xsvc -s f -l filename -r -F
complete -c xsvc -l patch-file -r -F
complete -c xsvc -l config -r -F
