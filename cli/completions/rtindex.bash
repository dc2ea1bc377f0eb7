# Completion of rtindex for bash. Verbs and options come from its help, so they are always its own.

_rtindex() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then
    local verbs
    verbs=$("$program" --help 2>/dev/null | sed -n '/^Verbs/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word")
  elif [[ $word == -* ]]; then
    local help options
    if ((COMP_CWORD == 1)); then
      help=$("$program" --help 2>/dev/null)
    else
      help=$("$program" "$verb" --help 2>/dev/null)
    fi
    options=$(sed -n '/^Examples/q; s/^  \(-[a-z],\)\{0,1\}\(--[a-z-]\{1,\}\).*/\2/p' <<<"$help")
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  fi
}
complete -o default -o bashdefault -F _rtindex rtindex
