import { InvalidArgumentError } from 'commander';

/** Reads a whole number of a range from the command line. */
export const wholeNumber = (from: number, to: number) => (text: string) => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < from || number > to)
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`);
  return number;
};
