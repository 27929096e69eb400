import type { Command } from 'commander';

/** `completion`: prints a script that completes commands and options in bash. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print completion for bash, for a `ringback` in PATH: eval "$(ringback completion)"')
    .action(() => void process.stdout.write(`${bashCompletion(program)}\n`));
}

function bashCompletion(program: Command): string {
  const cases = wordsOf(program, '').map(([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`);
  return `_ringback() {
  local word path='' words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="$path $word" ;; esac
  done
  case "\${path# }" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _ringback ringback`;
}

/** What may follow each command, by the words that lead to it. */
function wordsOf(command: Command, path: string): [string, string[]][] {
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const words = [...command.commands.map((child) => child.name()), ...choices, ...options, '--help'];
  const below = command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`.trim()));
  // A word of the choices may come before the options.
  const chosen = choices.map((choice): [string, string[]] => [`${path} ${choice}`, options]);
  return [[path, words], ...chosen, ...below];
}
