import { testDatabase } from '@tidings/testing'
import { expect, test } from 'vitest'
import { workspacesWithSenderIn } from '../src/stores/dynamic-lists-in.ts'

test('before a projector has made its tables, no workspace is known to have a sender ID', async () => {
  const database = await testDatabase()
  try {
    const workspacesWithSender = workspacesWithSenderIn(database.pool)
    expect(await workspacesWithSender(['Acme'])).toEqual([])
    await database.pool.query('create schema if not exists read')
    await database.pool.query('create table read.sms_senders (workspace_id uuid, sender_id text)')
    const workspaceId = crypto.randomUUID()
    await database.pool.query('insert into read.sms_senders values ($1, $2)', [workspaceId, 'Acme'])
    expect(await workspacesWithSender(['Acme'])).toEqual([workspaceId])
  } finally {
    await database.drop()
  }
})
