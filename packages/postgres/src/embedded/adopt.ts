import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { endpointOf, endpointUrl } from './endpoint.ts'
import { shutDown } from './launch.ts'
import { isServerOf, type Postmaster, readPostmaster } from './postmaster-pid.ts'

/** A server that was running already. */
export type FoundServer = Readonly<{ pid: number; port: number; url: string }>

const POLL_MS = 20
/** A server that the machine keeps from running answers late, and is no reason to end it. */
const ANSWER_MS = 10_000

/** The server that runs on the cluster and answers; null when there is none that is ready. Changes nothing. */
export async function findServer(clusterDir: string, password: string): Promise<FoundServer | null> {
  const asked = await askServer(clusterDir, password)
  return asked === null || asked.refusal !== null ? null : asked.server
}

/** The server that runs on the cluster, and why it does not answer; null when none is ready. */
export async function askServer(clusterDir: string, password: string): Promise<Readonly<{ server: FoundServer; refusal: unknown }> | null> {
  const found = await readPostmaster(clusterDir)
  if (found?.status !== 'ready' || !(await isServerOf(found.pid, clusterDir))) return null
  const url = endpointUrl(endpointOf(clusterDir, found.port), password)
  return { server: { pid: found.pid, port: found.port, url }, refusal: await refusalOf(url) }
}

/**
 * What a killed Tidings left behind. A server that still runs is adopted when it answers, waited for while it starts or stops,
 * and ended when it does neither; null then, and when there is none, so that the caller starts one.
 */
export async function adopt(clusterDir: string, password: string): Promise<FoundServer | null> {
  for (;;) {
    const left = await readPostmaster(clusterDir)
    if (left === null) return null
    if (!(await isServerOf(left.pid, clusterDir))) return null
    if (left.status === 'ready') return (await findServer(clusterDir, password)) ?? (await replace(clusterDir, left))
    await setTimeout(POLL_MS)
  }
}

async function replace(clusterDir: string, left: Postmaster): Promise<null> {
  await shutDown(clusterDir, left.pid, 'immediate')
  return null
}

/** Null when the server answers. */
async function refusalOf(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return null
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '28P01') throw new Error(WRONG_PASSWORD, { cause: error })
    return error
  } finally {
    await client.end().catch(() => undefined)
  }
}

const WRONG_PASSWORD =
  'The embedded Postgres does not accept the password in postgres.password: restore that file of the data directory from your backup.'
