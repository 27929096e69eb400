import { expect, test } from '@jest/globals';
import { createTestDatabase } from '@ringback/testing';
import { openDatabase } from './open.js';

test('a connection that breaks between two statements fails the second, and not the process', async () => {
  const { url, drop } = await createTestDatabase();
  const db = openDatabase({ url });
  const client = await db.pool.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const broken = new Promise((resolve) => client.once('end', resolve));
  await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await broken;
  await expect(client.query('SELECT 1')).rejects.toThrow();
  client.release(true);
  await db.close();
  await drop();
});
