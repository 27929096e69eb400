/** BullMQ's private function that runs one of its Lua scripts. `args` are the script's keys, then its arguments. */
export type ExecCommand = (client: unknown, script: string, args: unknown[]) => Promise<unknown>;
