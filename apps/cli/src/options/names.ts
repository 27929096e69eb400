import { InvalidArgumentError } from 'commander';
import { hasAtMostCharacters } from '@ringback/rules';

/** An argument parser for names: 1 to 255 characters after trimming. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && hasAtMostCharacters(name, 255)) return name;
  throw new InvalidArgumentError('It must have 1 to 255 characters.');
}
