import type { Static } from '@sinclair/typebox'
import { AskProjectionJobBody, ProjectionJob, type SystemProjection, SystemProjections } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import { askForJob, lastJobs, listProjections, type ProjectionJob as StoredJob } from '@tidings/projections'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import type { DashboardDependencies } from '../dependencies.ts'

const listSchema = {
  operationId: 'system.projections',
  summary: 'The projections, the tables beside them, and what is done with each',
  tags: ['system'],
  response: { 200: SystemProjections },
}

const askSchema = {
  operationId: 'system.askProjectionJob',
  summary: 'Rebuild a projection, build it beside, compare, swap or swap back: done in the background',
  tags: ['system'],
  body: AskProjectionJobBody,
  response: { 202: ProjectionJob },
}

// What is done with the tables is done on the primary.
const config = { access: 'session', dashboard: { role: 'operator' }, onReplicas: false } as const

type BuiltRow = Readonly<{ projection: string; generation: 'next' | 'previous'; version: number; built_at: Date; expires_at: Date }>

const BESIDE = `select projection, generation, version, built_at, expires_at from ops.projection_build
  where isfinite(expires_at) and expires_at > clock_timestamp()`

const shownJob = ({ askedAt, endedAt, result, ...job }: StoredJob): SystemProjection['jobs'][number] => ({
  ...job,
  askedAt: askedAt.toISOString(),
  endedAt: endedAt?.toISOString() ?? null,
  ...{ events: result?.events ?? null, parked: result?.parked ?? null, tables: [...(result?.tables ?? [])] },
})

async function tablesBeside(pool: Pool) {
  const { rows } = await pool.query<BuiltRow>(BESIDE)
  return (name: string, generation: BuiltRow['generation']): SystemProjection['next'] => {
    const row = rows.find((one) => one.projection === name && one.generation === generation)
    return row === undefined ? null : { version: row.version, builtAt: row.built_at.toISOString(), until: row.expires_at.toISOString() }
  }
}

export function systemProjections(app: App, { pool, log }: Pick<DashboardDependencies, 'pool' | 'log'>): void {
  app.get('/system/projections', { schema: listSchema, config }, async () => {
    const projections = await listProjections(pool, log)
    const beside = await tablesBeside(pool)
    const jobs = new Map((await lastJobs(pool)).map((job) => [job.projection, job]))
    const items = projections.map(({ name, version, state, lagEvents, parkedStreams, failure }) => {
      const job = jobs.get(name)
      return {
        ...{ name, version, state, parkedStreams },
        ...{ behind: lagEvents === null ? null : Number(lagEvents), failure: failure?.message ?? null },
        ...{ next: beside(name, 'next'), previous: beside(name, 'previous'), jobs: job === undefined ? [] : [shownJob(job)] },
      }
    })
    return { items }
  })
}

const askConfig = {
  access: 'session',
  dashboard: {
    role: 'operator',
    operates: {
      act: 'projection',
      thing: ({ body }: FastifyRequest) => {
        const { projection, act } = body as Static<typeof AskProjectionJobBody>
        return `${projection} ${act}`
      },
    },
  },
  refusals: ['projection_not_found', 'projection_busy'],
} as const

/** The row says who asked, and so does the audit of operators. The same press under the same `Idempotency-Key` asks once. */
export function askProjectionJob(app: App, { pool, log }: Pick<DashboardDependencies, 'pool' | 'log'>): void {
  app.post('/system/projections/jobs', { schema: askSchema, config: askConfig }, async (request, reply) => {
    const { projection, act } = request.body
    const known = await listProjections(pool, log)
    if (!known.some(({ name }) => name === projection)) throw new Refused('projection_not_found')
    const askedBy = `operator:${request.user?.userId}`
    if (!(await askForJob(pool, { id: request.commandId, projection, act, askedBy }))) throw new Refused('projection_busy')
    const job = (await lastJobs(pool)).find((one) => one.projection === projection)
    if (job === undefined) throw new Error('a job that was asked for is not there')
    reply.code(202)
    return shownJob(job)
  })
}
