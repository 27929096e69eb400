/** Replaces the data of a job if it cannot be read: the raw text and the reason. */
export class UnreadableData {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}
