import { migrate } from '@tidings/postgres'
import type { TestProject } from 'vitest/node'
import { serveBrokerRequests } from './kafka/broker-requests.ts'
import { checkRequired } from './left-out.ts'
import { startTestPostgres } from './postgres-server.ts'
import { sweep } from './sweep.ts'
import { inDatabase, patientPool } from './test-database.ts'

const TEMPLATE = 'template_tidings'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server that the whole run shares, and the database in it that has every migration. */
    testPostgres: { url: string; template: string }
    /** The address at which a test file asks for the run's one Kafka broker; it starts then. */
    testKafka: { url: string }
  }
}

/** Starts the one Postgres that a test run shares, builds the template database that `testDatabase` copies, and keeps a Kafka broker at hand. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  checkRequired()
  await sweep()
  const server = await startTestPostgres({ durable: false })
  try {
    await buildTemplate(server.url)
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('testPostgres', { url: server.url, template: TEMPLATE })
  const brokerRequests = await serveBrokerRequests()
  project.provide('testKafka', { url: brokerRequests.url })
  return async () => {
    await Promise.all([brokerRequests.stop(), server.stop()])
  }
}

async function buildTemplate(url: string): Promise<void> {
  const admin = patientPool({ url, max: 1, name: 'test-setup' })
  const template = patientPool({ url: inDatabase(url, TEMPLATE), max: 2, name: 'test-template' })
  try {
    await admin.query(`create database ${TEMPLATE}`)
    await migrate(template)
  } finally {
    await Promise.all([admin.end(), template.end()])
  }
}
