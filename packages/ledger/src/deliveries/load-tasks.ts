import type { Database } from '../connection/open.js';
import { preparedStatement } from '../sql/statement.js';
import { isUuid } from '../sql/uuid.js';
import { type DeliveryTask, taskColumnsSql, taskJoinsSql, type TaskRow, toTask } from './delivery-task.js';

const loadStatement = preparedStatement<{ ids: string[] }>(
  'load',
  `SELECT ${taskColumnsSql} FROM deliveries d ${taskJoinsSql()} WHERE d.id = ANY($ids::uuid[])`,
);

/** The tasks of the deliveries with these ids, in any order. Leaves out unknown ids. Uses the primary keys. */
export async function loadTasks(db: Database, ids: string[]): Promise<DeliveryTask[]> {
  const { rows } = await db.pool.query<TaskRow>(loadStatement({ ids: ids.filter(isUuid) }));
  return rows.map((row) => toTask(db, row));
}

/** The payload of an event; undefined when the event was deleted. */
export async function loadPayload(db: Database, eventId: string): Promise<string | undefined> {
  const { rows } = await db.pool.query<{ payload: string }>('SELECT payload FROM events WHERE id = $1', [eventId]);
  return rows[0]?.payload;
}
