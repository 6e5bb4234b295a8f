import { createPool } from '@tidings/postgres'
import { emailTo, type Workspace } from './workspace.ts'

export const MESSAGES_PATH = '/api/v1/public/messages'

/** Accepts so many messages to 500 recipients, over 64 connections, before anything is measured. */
export async function acceptMessages(url: string, { headers }: Workspace, count: number): Promise<void> {
  const connections = 64
  const sender = async (first: number): Promise<void> => {
    for (let n = first; n < count; n += connections) {
      const body = emailTo(`known${n % 500}@example.com`)
      const answer = await fetch(`${url}${MESSAGES_PATH}/email`, { method: 'POST', headers, body })
      if (answer.status !== 202) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, n) => sender(n)))
}

/** A thousand ids of a table, in any order. */
export async function idsIn(databaseUrl: string, table: string): Promise<readonly string[]> {
  const pool = createPool({ url: databaseUrl, max: 1, name: 'bench' })
  try {
    const { rows } = await pool.query<{ id: string }>(`select id from ${table} order by random() limit 1000`)
    return rows.map(({ id }) => id)
  } finally {
    await pool.end()
  }
}
