/** Completion scripts: each asks `postern __complete` for what may stand in the place of the word at the cursor. */

const bash = `# postern --completions bash >> ~/.bashrc
_postern() {
  local line words=("\${COMP_WORDS[@]:1:COMP_CWORD}") cur="\${COMP_WORDS[COMP_CWORD]}" value
  COMPREPLY=()
  # Bash splits words at = and :, which the candidates have in one.
  local whole="\${COMP_LINE:0:COMP_POINT}" last="" skip
  last="\${whole##*[[:space:]]}"
  if [[ $last != "$cur" ]]; then
    read -r -a words <<< "\${whole% *}"
    words=("\${words[@]:1}" "$last")
  fi
  skip=$(( \${#last} - \${#cur} ))
  while IFS=$'\t' read -r value _; do
    [[ -n $value ]] && COMPREPLY+=("$(printf '%q' "\${value:skip}")")
  done < <("\${COMP_WORDS[0]}" __complete "\${words[@]}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _postern postern
`

const zsh = `#compdef postern
# postern --completions zsh > ~/.zfunc/_postern
_postern() {
  local line value
  local -a described folders
  while IFS=$'\t' read -r value line; do
    if [[ $value == */ ]]; then folders+=("$value")
    elif [[ -n $line ]]; then described+=("\${value//:/\\\\:}:$line")
    else described+=("\${value//:/\\\\:}")
    fi
  done < <("\${words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( \${#folders} )) && compadd -S '' -- "\${folders[@]}"
  (( \${#described} )) && _describe 'postern' described
}
if [ "$funcstack[1]" = "_postern" ]; then _postern "$@"; else compdef _postern postern; fi
`

const fish = `# postern --completions fish > ~/.config/fish/completions/postern.fish
function __postern_complete
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  $program __complete $words (commandline -ct) 2>/dev/null
end
complete -c postern -f -a '(__postern_complete)'
`

export const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }
