import { expect, test } from '@jest/globals';
import { openDatabase } from '@ringback/ledger';

test('when a connection breaks between two statements, the second fails and the process continues', async () => {
  const db = openDatabase({ url: process.env.TEST_POSTGRES_URL ?? '' });
  const client = await db.pool.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const broken = new Promise<void>((resolve) => client.once('end', resolve));
  await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await broken;
  await expect(client.query('SELECT 1')).rejects.toThrow();
  client.release(true);
  await db.close();
});
