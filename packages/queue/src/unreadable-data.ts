/** What takes the place of a job's data that cannot be read: the text as it came, and why it cannot be used. */
export class UnreadableData {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}
