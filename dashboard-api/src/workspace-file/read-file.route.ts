import { Type } from '@sinclair/typebox'
import { WorkspaceFileText } from '@tidings/contracts'
import { type App, fairShare, hasLeft } from '@tidings/http'
import type { FastifyRequest } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'
import { asDownload } from '../download.ts'
import { presentFile } from './present-file.ts'

const schema = {
  operationId: 'workspaceFile.read',
  summary: 'The workspace as a file of `tidings apply`, without anything secret',
  tags: ['workspace'],
  response: { 200: WorkspaceFileText },
}

const downloadSchema = {
  operationId: 'workspaceFile.download',
  summary: 'The same as a download',
  description: '`application/yaml`, without the envelope.',
  tags: ['workspace'],
  querystring: Type.Object({}),
}

// It takes long: each of its statements is a read by itself.
const config = { access: 'session', dashboard: { role: 'owner' }, onReplicas: false } as const

/** One at a time of a workspace: each may be some megabytes. */
export function readWorkspaceFile(app: App, deps: Pick<DashboardDependencies, 'commands' | 'dbOfLong' | 'poolSize'>): void {
  const share = fairShare({ each: 1, all: Math.max(1, Math.floor(deps.poolSize / 4)) })
  const fileFor = ({ tenant: { workspaceId }, raw }: Pick<FastifyRequest, 'tenant' | 'raw'>) =>
    share({ workspaceId, isGone: () => hasLeft({ raw }) }, () => presentFile({ ...deps, db: deps.dbOfLong(workspaceId) }, workspaceId))

  app.get('/workspace-file', { schema, config }, async (request) => ({ text: await fileFor(request) }))

  app.get('/workspace-file/download', { schema: downloadSchema, config: { ...config, raw: true } }, async (request, reply) => {
    const text = await fileFor(request)
    return asDownload(reply, { name: `${request.tenant.slug}.yaml`, type: 'application/yaml; charset=utf-8' }).send(text)
  })
}
