/** Whether a process with this id exists, even if it belongs to another user. */
export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
