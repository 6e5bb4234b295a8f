import { createEventLog, memoryKeyRing, upcasters, uuidv7, WrongMasterKey } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, eventDeclarations, workspace, workspaceStream } from '@tidings/domain'
import { Unavailable } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createRecordLookups } from '@tidings/outbound-http'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { type DnsServer, startDnsServer } from '@tidings/testing/dns-server'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CheckingDomains, checkDomains } from '../../src/senders/check-domains.ts'

const workspaceId = asWorkspaceId(uuidv7())
const TOKEN = '5f0e7e3a7b524a3c9d5e0d3a6a6f0c01'

let database: TestDatabase
let dns: DnsServer
const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
const runner = createCommandRunner({ log, deadlineMs: PATIENT_MS })

beforeEach(async () => {
  database = await testDatabase()
  dns = await startDnsServer()
  // The tables that the projections make, as far as the look-up of what is due reads them.
  await database.pool.query(`
    create table read.workspaces (workspace_id uuid primary key, status text);
    create table read.sender_domains (workspace_id uuid, domain text, said_verified boolean, said_blocklisted boolean, token text, proof text,
      configured_at timestamptz)`)
  await database.pool.query(`insert into read.workspaces values ($1, 'active')`, [workspaceId])
})
afterEach(async () => {
  await dns.close()
  await database.drop()
})

const add = async (domain: string): Promise<void> => {
  const context = { commandId: uuidv7(), workspaceId, actor: 'test', requestId: 'r', at: '2026-11-23T12:00:00.000Z' }
  const stream = workspaceStream(workspaceId)
  const settings = { name: 'Acme', plan: 'free', country: 'IL', tracking: false } as const
  const create = { type: 'CreateWorkspace', data: { workspaceId, slug: 'acme', ...settings } } as const
  const configure = { type: 'ConfigureSenderDomain', data: { domain, verified: null, blocklisted: null, token: TOKEN } } as const
  await runner.execute({ decider: workspace, stream, command: create, context })
  await runner.execute({ decider: workspace, stream, command: configure, context: { ...context, commandId: uuidv7() } })
  await database.pool.query(`insert into read.sender_domains values ($1, $2, null, null, $3, null, now())`, [workspaceId, domain, TOKEN])
}
const round = (changes: Partial<CheckingDomains> = {}) =>
  checkDomains(
    {
      pool: database.pool,
      commands: runner,
      lookups: createRecordLookups([dns.address], 10_000),
      zones: ['dbl.example'],
      now: () => '2026-11-23T12:00:00.000Z',
      onFault: (error) => {
        throw error
      },
      ...changes,
    },
    new AbortController().signal,
  )
/** Moves everything into the past by so much. */
const pass = async (interval: string): Promise<void> => {
  const asked = 'proof_asked_at = proof_asked_at - $1::interval, listing_asked_at = listing_asked_at - $1::interval'
  await database.pool.query(`update ops.sender_domain_check set ${asked}`, [interval])
  await database.pool.query('update read.sender_domains set configured_at = configured_at - $1::interval', [interval])
}
const domains = async () =>
  (await runner.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })).state.senderDomains

it('a domain is asked about when it is added, every ten minutes until it is proved, and daily', async () => {
  await add('acme.example')
  await round()
  expect(dns.asked.toSorted()).toEqual(['_tidings.acme.example', 'acme.example.dbl.example'])
  await round()
  expect(dns.asked).toHaveLength(2)
  dns.texts.set('_tidings.acme.example', [TOKEN])
  await pass('11 minutes')
  await round()
  expect(dns.asked.slice(2)).toEqual(['_tidings.acme.example'])
  expect((await domains())['acme.example']).toMatchObject({ proof: 'found' })
  await database.pool.query(`update read.sender_domains set proof = 'found'`)
  await pass('23 hours')
  await round()
  expect(dns.asked).toHaveLength(3)
  await pass('2 hours')
  await round()
  expect(dns.asked.slice(3).toSorted()).toEqual(['_tidings.acme.example', 'acme.example.dbl.example'])
})

it('a log that is away ends the round before a domain counts as asked', async () => {
  await add('acme.example')
  const load = () => Promise.reject(new Unavailable('away'))
  await expect(round({ commands: { ...runner, load } })).rejects.toThrow('away')
  expect(dns.asked).toEqual([])
  await round()
  expect(dns.asked).toHaveLength(2)
})

it('a workspace that cannot be read is one fault, and its domain is not asked for again at once', async () => {
  await add('acme.example')
  const faults: unknown[] = []
  const fault = new WrongMasterKey('wrapped under another')
  const unreadable = { load: () => Promise.reject(fault), execute: () => Promise.reject(fault) }
  for (let n = 0; n < 2; n++) await round({ commands: unreadable, onFault: (error) => faults.push(error) })
  expect(faults).toEqual([fault])
})

it('a domain whose server is silent delays no other, and is not lost', async () => {
  dns.texts.set('_tidings.silent.example', null)
  dns.texts.set('_tidings.acme.example', [TOKEN])
  await add('silent.example')
  await add('acme.example')
  await round()
  expect(await domains()).toMatchObject({ 'silent.example': { proof: null }, 'acme.example': { proof: 'found' } })
})

it('domains of a closed workspace, and those that are the operator’s word, are not asked about', async () => {
  await add('acme.example')
  await database.pool.query(`update read.sender_domains set said_verified = true, said_blocklisted = false`)
  await round()
  await database.pool.query(`update read.sender_domains set said_verified = null; update read.workspaces set status = 'closed'`)
  await round()
  expect(dns.asked).toEqual([])
})
