// The baseline of the API, in its own process: an Express route that executes one prepared SELECT.
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { sessionConfig } from '@ringback/process';

const pool = new pg.Pool({ ...sessionConfig(process.env.DATABASE_URL ?? '', 'public'), max: 10 });
const text = 'SELECT * FROM webhooks WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL';

const app = express();
app.get('/bare/:account/:id', async (request, response) => {
  const { account, id } = request.params;
  const { rows } = await pool.query({ name: 'bare', text, values: [id, account] });
  response.json({ data: rows[0] });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ type: 'ready', port: (server.address() as AddressInfo).port });
});
process.on('disconnect', () => process.exit(0));
