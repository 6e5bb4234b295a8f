import { createHash, createHmac, randomInt, randomUUID } from 'node:crypto'
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
    subject text not null, html text not null, queued_at timestamptz not null default now());
  create table if not exists naive.passcode(id text primary key, tenant text not null, digest bytea not null, attempts int not null default 0,
    used boolean not null default false, expires_at timestamptz not null);
  create table if not exists naive.event(tenant text, email text, event text, minute timestamptz, properties jsonb not null,
    primary key (tenant, email, event, minute))`)

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

app.post<{ Body: { to: string; senderId: string; body: string } }>(
  '/api/v1/public/messages/sms',
  {
    schema: {
      body: {
        type: 'object',
        required: ['to', 'senderId', 'body'],
        additionalProperties: false,
        properties: { to: text(32), senderId: text(11), body: text(1_600) },
      },
      response: { 202: envelope({ type: 'object', properties: { messageId: { type: 'string' } } }) },
    },
  },
  async (request, reply) => {
    const messageId = randomUUID()
    const { to, senderId, body } = request.body
    await pool.query({
      name: 'insert',
      text: 'insert into naive.message(id, tenant, status, recipient, sender, subject, html) values ($1, $2, $3, $4, $5, $6, $7)',
      values: [messageId, TENANT, 'queued', to, senderId, '', body],
    })
    return reply.code(202).send({ success: true, data: { messageId } })
  },
)

app.post<{ Body: { event: string; email: string; properties: object } }>(
  '/api/v1/events/ingest',
  {
    schema: {
      body: {
        type: 'object',
        required: ['event', 'email', 'properties'],
        additionalProperties: false,
        properties: { event: text(128), email: text(320), properties: { type: 'object' } },
      },
      response: { 200: envelope({ type: 'object', properties: { status: { type: 'string' }, created: { type: 'boolean' } } }) },
    },
  },
  async (request) => {
    const { event, email, properties } = request.body
    const { rowCount } = await pool.query({
      name: 'ingest',
      text: `insert into naive.event(tenant, email, event, minute, properties)
        values ($1, $2, $3, date_trunc('minute', now()), $4) on conflict do nothing`,
      values: [TENANT, email, event, JSON.stringify(properties)],
    })
    return { success: true, data: { status: 'ok', created: rowCount === 1 } }
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

const codeDigest = (id: string, code: string) => createHmac('sha256', API_KEY).update(`${id}:${code}`).digest()

app.post<{ Body: { phone: string } }>('/api/v1/otp/send', async () => {
  const id = randomUUID()
  await pool.query({
    name: 'issue',
    text: `insert into naive.passcode(id, tenant, digest, expires_at) values ($1, $2, $3, now() + interval '5 minutes')`,
    values: [id, TENANT, codeDigest(id, String(randomInt(1_000_000)).padStart(6, '0'))],
  })
  return { success: true, data: { verificationId: id, channel: 'sms', expiresInSeconds: 300, segments: 1 } }
})

app.post<{ Body: { verificationId: string; code: string } }>('/api/v1/otp/verify', async (request) => {
  const { verificationId, code } = request.body
  const { rows } = await pool.query<{ used: boolean }>({
    name: 'verify',
    text: `update naive.passcode set attempts = attempts + 1, used = attempts < 5 and digest = $3
      where id = $1 and tenant = $2 and not used and attempts < 6 and expires_at > now() returning used`,
    values: [verificationId, TENANT, codeDigest(verificationId, code)],
  })
  const verified = rows[0]?.used ?? false
  return { success: true, data: verified ? { verified } : { verified, reason: rows[0] ? 'code_mismatch' : 'expired_or_unknown' } }
})

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
process.on('SIGTERM', () => process.exit(0))
