import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { newAuthority } from './certificates.ts'
import { createRestartableServer, type RestartableServer } from './restartable-server.ts'

/** A request for a mail. */
type SesRequested = Readonly<{ to: string; mime: string; configurationSet: string | undefined }>

/** Instead of taking it. `stall`: takes it and never answers. `cut after`: takes it and closes the connection. A function answers by itself. */
export type SesRule =
  | Readonly<{ status: number; type?: string; message?: string; headers?: Record<string, string> }>
  | Readonly<{ id: string; more?: object }>
  | 'stall'
  | 'cut after'
  | ((response: ServerResponse, id: string) => void)

type SnsSigning = Readonly<{ version?: '1' | '2'; topic?: string; certificate?: string; key?: KeyObject; changed?: object }>

/** A server in this process that speaks the API of Amazon SES, version 2, and that of SNS. `rule` and `account` may be changed while it runs; nothing is a yes. */
export type SesServer = RestartableServer &
  Readonly<{
    /** `ses://…` of an account that exists here. */
    url: string
    topic: string
    keyId: string
    secret: string
    taken: readonly SesRequested[]
    /** What SNS was asked for, paths with their queries. `certificates`: what it has instead of its own, by path. */
    sns: { asked: string[]; answer: number; certificates: Map<string, string> }
    control: {
      rule?: ((request: SesRequested) => SesRule | undefined) | undefined
      account?: Readonly<{ status: number; type?: string; body?: object }> | undefined
    }
    /** What SNS posts of a text that is published, or of a subscription. `changed`: fields that are changed behind the signature. */
    notification: (message: string, signing?: SnsSigning) => string
    confirmation: (signing?: SnsSigning) => string
    /** A certificate of the keys of this SNS that is valid for `days`. */
    certificateFor: (days: number) => string
  }>

const REGION = 'eu-west-1'
const hex = (bytes = 16): string => randomBytes(bytes).toString('hex')
const CERTIFICATE = `/SimpleNotificationService-${'0'.repeat(32)}.pem`
const ACCOUNT = {
  SendingEnabled: true,
  ProductionAccessEnabled: true,
  EnforcementStatus: 'HEALTHY',
  SendQuota: { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 12 },
}

export async function startSesServer(): Promise<SesServer> {
  const [keyId, secret] = [`AKIA${hex(8).toUpperCase()}`, `${hex()}/+${hex(4)}`]
  const taken: SesRequested[] = []
  const control: SesServer['control'] = {}
  const topic = `arn:aws:sns:${REGION}:123456789012:tidings`
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const authority = newAuthority('SNS')
  const certificateFor = (days: number): string => authority.issue('sns.amazonaws.com', days, keys).cert
  const sns: SesServer['sns'] = { asked: [], answer: 200, certificates: new Map([[CERTIFICATE, certificateFor(2)]]) }

  const answerSns = (path: string, response: ServerResponse): void => {
    sns.asked.push(path)
    if (sns.answer !== 200) return void response.writeHead(sns.answer).end()
    const certificate = sns.certificates.get(path)
    if (certificate !== undefined) return void response.writeHead(200).end(certificate)
    response.writeHead(path.startsWith('/?Action=ConfirmSubscription&') ? 200 : 403).end()
  }
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { url = '', method } = request
    if (!url.startsWith('/v2/')) return answerSns(url, response)
    if (!isSigned(request, body, { keyId, secret }))
      return refuse(response, 403, 'UnrecognizedClientException', 'The security token is invalid')
    if (method === 'GET' && url === '/v2/email/account') {
      const { status, type, body: said } = control.account ?? { status: 200, body: ACCOUNT }
      return type === undefined
        ? answer(response, status, said)
        : refuse(response, status, type, 'not authorized to perform: ses:GetAccount')
    }
    if (method !== 'POST' || url !== '/v2/email/outbound-emails') return refuse(response, 404, 'NotFoundException')
    const asked = JSON.parse(body.toString('utf8'))
    const [to] = asked.Destination.ToAddresses
    const requested = {
      to,
      mime: Buffer.from(asked.Content.Raw.Data, 'base64').toString('utf8'),
      configurationSet: asked.ConfigurationSetName,
    }
    const rule = control.rule?.(requested)
    if (typeof rule === 'object' && 'status' in rule) return refuse(response, rule.status, rule.type, rule.message, rule.headers)
    taken.push(requested)
    const id = typeof rule === 'object' ? rule.id : `010201${hex(5)}-${crypto.randomUUID()}-000000`
    if (rule === 'cut after') response.destroy()
    else if (typeof rule === 'function') rule(response, id)
    else if (rule !== 'stall') answer(response, 200, { MessageId: id, ...(typeof rule === 'object' && rule.more) })
  }
  const server = await createRestartableServer(listener)
  const origin = `http://127.0.0.1:${server.port}`
  const posted = (
    fields: Record<string, string>,
    { version = '2', certificate = CERTIFICATE, key = keys.privateKey, changed }: SnsSigning,
  ) => {
    const text = Object.keys(fields)
      .toSorted()
      .map((name) => `${name}\n${fields[name]}\n`)
      .join('')
    const Signature = sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(text), key).toString('base64')
    return JSON.stringify({ ...fields, SignatureVersion: version, Signature, SigningCertURL: `${origin}${certificate}`, ...changed })
  }
  const common = () => ({ MessageId: crypto.randomUUID(), Timestamp: new Date().toISOString() })
  return {
    url: `ses://${keyId}:${encodeURIComponent(secret)}@127.0.0.1:${server.port}?protocol=http&region=${REGION}&config=mails&topic=${topic}`,
    ...{ ...server, topic, keyId, secret, taken, sns, control, certificateFor },
    notification: (Message, signing = {}) =>
      posted({ ...common(), Type: 'Notification', TopicArn: signing.topic ?? topic, Subject: 'Amazon SES', Message }, signing),
    confirmation: (signing = {}) => {
      const TopicArn = signing.topic ?? topic
      const SubscribeURL = `${origin}/?Action=ConfirmSubscription&TopicArn=${TopicArn}&Token=abc123`
      const Message = `You have chosen to subscribe to the topic ${TopicArn}.`
      return posted({ ...common(), Type: 'SubscriptionConfirmation', TopicArn, Token: 'abc123', SubscribeURL, Message }, signing)
    },
  }
}

const answer = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const refuse = (response: ServerResponse, status: number, type?: string, message = '', headers: Record<string, string> = {}): void =>
  answer(
    response,
    status,
    { message },
    { ...headers, ...(type !== undefined && { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` }) },
  )

const sha256 = (text: Buffer | string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Signature Version 4, by its text (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). */
function isSigned(
  { headers, method, url = '' }: IncomingMessage,
  body: Buffer,
  { keyId, secret }: Readonly<{ keyId: string; secret: string }>,
): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/[^/]+\/ses\/aws4_request), SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/
  const [, id, scope = '', names = '', given] = form.exec(headers.authorization ?? '') ?? []
  const [path, query = ''] = url.split('?')
  const date = String(headers['x-amz-date'])
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, path, query, lines.join(''), names, sha256(body)].join('\n')
  const key = scope.split('/').reduce((derived: Buffer | string, part) => hmac(derived, part), `AWS4${secret}`)
  const expected = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex')
  const isRecent = Math.abs(Date.now() - Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))) < 900_000
  const isOfRegion = scope === `${date.slice(0, 8)}/${REGION}/ses/aws4_request` && names.split(';').includes('host')
  return id === keyId && given === expected && isRecent && isOfRegion
}
