/** Stands for the data of a job that cannot be read: its raw text, and the reason. */
export class UnreadableData {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}
