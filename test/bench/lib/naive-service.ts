import { createHash, randomUUID } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'

/**
 * What the same endpoint costs without a log: Fastify, the same key check, the same body, one INSERT a request.
 * Every ratio of the bench is against this service, in the same run, on the same Postgres.
 */
const { DATABASE_URL = '', API_KEY = '', TENANT = '' } = process.env
const digest = (key: string) => createHash('sha256').update(key).digest('hex')
const keys = new Map([[digest(API_KEY), TENANT]])
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
await pool.query(`create schema if not exists naive;
  create table if not exists naive.message(id uuid primary key, tenant text not null, status text not null, recipient text not null, sender text not null,
    subject text not null, html text not null, queued_at timestamptz not null default now())`)

const app = fastify()
app.addHook('onRequest', async (request, reply) => {
  reply.header('x-request-id', randomUUID())
  if (keys.get(digest(String(request.headers['x-api-key']))) !== request.headers['x-sender-tenant']) {
    return reply.code(401).send({ success: false, message: 'Invalid API key' })
  }
})

const text = (maxLength: number) => ({ type: 'string', maxLength })
const envelope = (data: object) => ({ type: 'object', properties: { success: { type: 'boolean' }, data } })
app.post<{ Body: { to: string; fromEmail: string; subject: string; html: string } }>(
  '/api/v1/public/messages/email',
  {
    schema: {
      body: {
        type: 'object',
        required: ['to', 'fromEmail', 'subject', 'html'],
        additionalProperties: false,
        properties: { to: text(320), fromEmail: text(320), subject: text(500), html: text(500_000) },
      },
      response: { 202: envelope({ type: 'object', properties: { messageId: { type: 'string' } } }) },
    },
  },
  async (request, reply) => {
    const messageId = randomUUID()
    const { to, fromEmail, subject, html } = request.body
    await pool.query({
      name: 'insert',
      text: 'insert into naive.message(id, tenant, status, recipient, sender, subject, html) values ($1, $2, $3, $4, $5, $6, $7)',
      values: [messageId, TENANT, 'queued', to, fromEmail, subject, html],
    })
    return reply.code(202).send({ success: true, data: { messageId } })
  },
)

app.get<{ Params: { id: string } }>('/api/v1/public/messages/:id', async (request, reply) => {
  const { rows } = await pool.query({
    name: 'select',
    text: 'select id, status, queued_at from naive.message where tenant = $1 and id = $2',
    values: [TENANT, request.params.id],
  })
  const row = rows[0]
  if (!row) return reply.code(404).send({ success: false, message: 'Message not found' })
  return { success: true, data: { id: row.id, channel: 'email', status: row.status, queuedAt: row.queued_at.toISOString() } }
})

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
process.on('SIGTERM', () => process.exit(0))
