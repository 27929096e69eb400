// A stub of the API or the worker. STUB selects a misbehaviour.
const { STUB: mode, PORT: port = '3000' } = process.env;

setInterval(() => undefined, 1_000);
if (mode === 'broken') {
  process.stderr.write('ringback: the stub is broken\n');
  process.exit(3);
}
process.on('SIGTERM', () => mode !== 'stubborn' && process.exit(0));
process.on('disconnect', () => process.exit(0));
const publicUrl = `http://localhost:${port}`;
process.send?.({ type: 'ready', publicUrl, baseUrl: `${publicUrl}/api/v2` });
process.stdout.write(`stub ${process.pid}\n`);
