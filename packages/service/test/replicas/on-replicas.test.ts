import { createApp } from '@tidings/http'
import { queryApi } from '@tidings/query-api'
import { expect, it } from 'vitest'
import { onReplicas } from '../../src/replicas/on-replicas.ts'
import type { ReplicaReads } from '../../src/replicas/replica-reads.ts'

it('asks no replica for what is of no workspace', async () => {
  const read = async (): Promise<never> => {
    throw new Error('a replica was asked')
  }
  const credentials = { findKey: () => null, findWorkspace: () => null }
  const app = createApp({ settings: { rateLimits: { default: 60, key: 60, forms: 60 } }, authentication: { credentials } })
  const db = {} as Parameters<typeof queryApi>[0]['db']
  const plugin = queryApi({ db, poolSize: 1, findWorkspace: credentials.findWorkspace, vapidPublicKey: 'the key' })
  app.register(onReplicas(plugin, { read, readTogether: read } as unknown as ReplicaReads))
  const answer = await app.inject({ url: '/push/public-key' })
  expect([answer.statusCode, answer.json()]).toEqual([200, { success: true, data: { publicKey: 'the key', enabled: true } }])
  await app.close()
})
