import { type App, invalidSignature, unavailable } from '@tidings/http'
import { SES_PATH, SnsAway, sesReport } from '@tidings/providers'
import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { applyEmailEvents } from './apply-email-events.ts'

const schema = { operationId: 'providers.sesEvents', tags: ['providers'], hide: true }
const config = { access: 'open', raw: true, rawBody: true, throttle: false } as const

/** A message of SNS has at most 256 KB (https://docs.aws.amazon.com/general/latest/gr/sns.html), which its JSON writes longer. */
const MAX_BYTES = 512 * 1024
/** The seconds after which SNS may ask again. */
const RETRY_AFTER = 5

type Needs = Pick<Dependencies, 'commands' | 'messages' | 'now' | 'sns'>

/**
 * Takes what Amazon SES reports about a mail (O6), which SNS posts as text, one event a request. Its signature stands in the body: the body is checked before anything is looked up. What
 * changes nothing is taken all the same, because SNS would post it again.
 */
export function sesEvents(app: App, deps: Needs): void {
  app.register(async (texts) => {
    texts.addContentTypeParser('text/plain', (request, payload, done) => texts.readBody(request, payload, done))
    texts.post(SES_PATH, { schema, config, bodyLimit: MAX_BYTES }, async (request) => {
      const { message } = await posted(deps, request)
      const report = message === null ? null : sesReport(message)
      return await applyEmailEvents(deps, report === null ? [] : [report], request.id)
    })
  })
}

async function posted({ sns }: Needs, { body, rawBody, clientAddress }: FastifyRequest): Promise<Readonly<{ message: string | null }>> {
  const bytes = Buffer.isBuffer(body) ? body : rawBody
  try {
    const read = bytes === null ? null : await sns.read(bytes, clientAddress)
    if (read !== null) return read
  } catch (error) {
    throw error instanceof SnsAway ? unavailable(RETRY_AFTER) : error
  }
  throw invalidSignature()
}
