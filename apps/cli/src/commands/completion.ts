import type { Command } from 'commander';

/**
 * Adds the command `completion`. It prints a bash script that completes commands and options without starting Node.js.
 */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a bash completion script for a `ringback` in PATH: eval "$(ringback completion)"')
    .action(() => void process.stdout.write(`${bashCompletion(program)}\n`));
}

function bashCompletion(program: Command): string {
  const cases = completionsOf(program, '').map(([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`);
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

/** The words that may follow each command, as pairs of the command's path and its words. */
function completionsOf(command: Command, path: string): [string, string[]][] {
  const options = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const words = [...command.commands.map((child) => child.name()), ...choices, ...options, '--help'];
  const ofSubcommands = command.commands.flatMap((child) => completionsOf(child, `${path} ${child.name()}`.trim()));
  // The options may also follow an argument.
  const afterArgument = choices.map((choice): [string, string[]] => [`${path} ${choice}`, options]);
  return [[path, words], ...afterArgument, ...ofSubcommands];
}
