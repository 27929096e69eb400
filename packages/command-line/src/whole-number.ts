import { InvalidArgumentError } from 'commander';

/** Creates an argument parser for commander that accepts whole numbers from `min` to `max`. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  return number;
};
