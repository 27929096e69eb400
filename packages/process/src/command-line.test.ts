import { expect, test } from '@jest/globals';
import { Command, InvalidArgumentError, Option } from 'commander';
import { aliasOf } from './command-line.js';

const parse = (text: string, previous: string[] = []) => {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return [...previous, text];
};

function createCommand(): Command {
  const namesOption = new Option('--names <names>', 'names').argParser(parse);
  const allOption = new Option('--include-all', 'all');
  const command = new Command('list').exitOverride().configureOutput({ writeErr: () => undefined });
  const nameAlias = aliasOf(namesOption, '--name <name>');
  const allAlias = aliasOf(allOption, '--all');
  for (const option of [namesOption, nameAlias, allOption, allAlias]) command.addOption(option);
  return command;
}

const optionsOf = (...args: string[]) => createCommand().parse(args, { from: 'user' }).opts();

test('an alias sets the value of its option, with its parser', () => {
  expect(optionsOf('--name', 'a')).toEqual({ names: ['a'] });
  expect(optionsOf('--names', 'a', '--name', 'b')).toEqual({ names: ['a', 'b'] });
  expect(optionsOf('--all')).toEqual({ includeAll: true });
  expect(optionsOf()).toEqual({});
});

test('an error names the option that was given', () => {
  expect(() => optionsOf('--name', '')).toThrow("option '--name <name>' argument '' is invalid. It is empty.");
});

test('an alias is not in the help', () => {
  const help = createCommand().helpInformation();
  expect(help).toContain('--names <names>');
  expect(help).not.toContain('--name <name>');
  expect(help).toContain('--include-all');
  expect(help).not.toContain('--all');
});
