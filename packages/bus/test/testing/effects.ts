import type { Recorded } from '@tidings/codec'
import type { ContactId, MessageId } from '@tidings/domain'
import { until } from '@tidings/testing'
import type { Pool } from 'pg'
import { expect } from 'vitest'
import type { Consumer } from '../../src/port.ts'

export const GROUP = 'test'
export type Delivered = Recorded<{ type: 'MessageDelivered'; data: { messageId: MessageId; contactId: ContactId } }>

type Effect = Readonly<{ message: string; contact: string }>

/** The effects of a consumer that notes each message in a table, in the transaction it is given. */
export type Effects = Readonly<{
  noting: (changes?: Partial<Consumer>) => Consumer
  all: () => Promise<readonly Effect[]>
  /** Waits until these messages were noted, in this order, and no others. */
  become: (messages: readonly string[]) => Promise<void>
  letters: () => Promise<readonly Record<string, unknown>[]>
  clear: () => Promise<void>
}>

export function numbers(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, n) => String(from + n))
}

export async function effectsIn(pool: Pool): Promise<Effects> {
  await pool.query(
    'create table if not exists effect (id bigint generated always as identity, message text not null, contact text not null)',
  )
  const all = async () => (await pool.query<Effect>('select message, contact from effect order by id')).rows
  return {
    noting: (changes = {}) => ({
      group: GROUP,
      types: ['MessageDelivered'],
      handle: async (events, tx) => {
        for (const { data } of events as readonly Delivered[])
          await tx.query('insert into effect (message, contact) values ($1, $2)', [data.messageId, data.contactId])
        return undefined
      },
      ...changes,
    }),
    all,
    become: (messages) => until(async () => expect((await all()).map(({ message }) => message)).toEqual(messages)),
    letters: async () =>
      (await pool.query('select source, reference, error_class, attempts, state, workspace_id from ops.dead_letter')).rows,
    clear: async () => {
      await pool.query('truncate effect, ops.consumer_checkpoint, ops.consumer_partition, ops.dead_letter, ops.relay cascade')
    },
  }
}
