import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { applyWorkspaceFile, createProvisioner } from '@tidings/provisioning'
import { parseWorkspaceFile } from '@tidings/provisioning/workspace-file'
import type { ReadModels } from '@tidings/read-models'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { planFile } from '../../src/workspace-file/plan-file.ts'

const fileWith = (more: string) => `workspace: { slug: acme, name: Acme }\n${more}`
const connector = (secret: string) => fileWith(`connectors: [{ name: shop, secret: ${secret} }]`)

/** The etag of the change to `text`, where the workspace was made and changed by those files. */
const etagAfter = async (text: string, ...before: readonly string[]): Promise<string> => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const commands = createCommandRunner({ log })
  const to = createProvisioner(commands, { dynamicLists: async () => [] })
  for (const file of before) await applyWorkspaceFile(to, parseWorkspaceFile(file))
  // These files ask for no row.
  const db = new Kysely<ReadModels>({ dialect: new PostgresDialect({ pool: new pg.Pool() }) })
  return (await planFile({ commands, db }, { text, slug: 'acme' })).etagBehind(0)
}

it('the etag of a change says nothing of the secret that a connector had, and all of how often it was changed', async () => {
  const wanted = connector('the-wanted-secret')
  const one = await etagAfter(wanted, connector('the-first-secret'))
  expect(await etagAfter(wanted, connector('the-other-secret'))).toBe(one)
  expect(await etagAfter(wanted, connector('the-other-secret'), connector('the-first-secret'))).not.toBe(one)
})

it('the etag of a change is of what its records were', async () => {
  const wanted = fileWith('timezone: Asia/Jerusalem')
  const one = await etagAfter(wanted, fileWith('timezone: Europe/Paris'))
  expect(await etagAfter(wanted, fileWith('timezone: Europe/Berlin'))).not.toBe(one)
})
