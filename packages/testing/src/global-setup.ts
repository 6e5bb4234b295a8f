import { createPool, migrate } from '@tidings/postgres'
import type { TestProject } from 'vitest/node'
import { startTestPostgres } from './postgres-server.ts'
import { inDatabase } from './test-database.ts'

const TEMPLATE = 'template_tidings'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that the whole run shares, and the database in it that has every migration. */
    testPostgres: { url: string; template: string }
  }
}

/** Starts the one Postgres that a test run shares and builds the template database that `testDatabase` copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestPostgres({ durable: false })
  const admin = createPool({ url: server.url, max: 1, name: 'test-setup' })
  await admin.query(`create database ${TEMPLATE}`)
  await admin.end()
  const template = createPool({ url: inDatabase(server.url, TEMPLATE), max: 2, name: 'test-template' })
  await migrate(template)
  await template.end()
  project.provide('testPostgres', { url: server.url, template: TEMPLATE })
  return server.stop
}
