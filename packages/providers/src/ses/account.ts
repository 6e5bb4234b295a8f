import { addressIn, decodedPart } from '../provider-address.ts'

/** A topic of Amazon SNS whose notifications are taken. `origin`: where its certificates are, and where a subscription is confirmed. */
export type SnsTopic = Readonly<{ arn: string; origin: string }>

/** An account of Amazon SES in one region, and how its API is reached. `topic`: what reports come by; null where none are taken. */
export type SesAccount = Readonly<{
  keyId: string
  secret: string
  region: string
  origin: string
  configurationSet: string | null
  topic: SnsTopic | null
}>

const WHAT = 'The email provider'
const FORM = { what: WHAT, form: 'ses://KEY_ID:SECRET@email.REGION.amazonaws.com', options: ['protocol', 'region', 'config', 'topic'] }
/** https://docs.aws.amazon.com/general/latest/gr/ses.html; also the name of an endpoint of a VPC. */
const AWS_HOST = /(?:^|\.)email(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d)\.(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)$/i
const REGION = /^[a-z]{2}(?:-[a-z]+)+-\d$/
const TOPIC = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z]{2}(?:-[a-z]+)+-\d):\d{12}:[\w-]{1,256}$/
const CONFIGURATION_SET = /^[\w-]{1,64}$/

/**
 * Reads `ses://KEY_ID:SECRET@email.REGION.amazonaws.com`. Options: `config`, the configuration set that mails are sent with; `topic`, the ARN of the SNS topic
 * that its events go to; `region` and `protocol=http` for a server of one's own. Throws one sentence, which has no part of the address.
 */
export function sesAccount(address: string): SesAccount {
  const url = addressIn(address, FORM)
  const option = (name: string, form: RegExp, must: string): string | null => {
    const value = url.searchParams.get(name)
    if (value !== null && !form.test(value)) throw new Error(`${WHAT} has an unknown ${name}: it is ${must}.`)
    return value
  }
  const [keyId, secret] = [decodedPart(url.username, WHAT), decodedPart(url.password, WHAT)]
  if (!/^\w{1,128}$/.test(keyId)) throw new Error(`${WHAT} needs the id of an access key as its user: it is ${FORM.form}.`)
  if (secret === '') throw new Error(`${WHAT} needs the secret of the access key as its password: it is ${FORM.form}.`)
  const protocol = option('protocol', /^https?$/, 'https or http') ?? 'https'
  const base = `${protocol}://${url.host}`
  if (!URL.canParse(base)) throw new Error(`${WHAT} names a host that cannot be called.`)
  const { origin, hostname } = new URL(base)
  const [, regionOfHost] = AWS_HOST.exec(hostname) ?? []
  const region = option('region', REGION, 'one such as eu-west-1') ?? regionOfHost
  if (region === undefined) throw new Error(`${WHAT} needs a region where its host is not email.REGION.amazonaws.com.`)
  const arn = option('topic', TOPIC, 'the ARN of a topic, arn:aws:sns:REGION:ACCOUNT:NAME')
  return {
    ...{ keyId, secret, region, origin },
    configurationSet: option('config', CONFIGURATION_SET, 'the name of a configuration set'),
    topic: arn === null ? null : { arn, origin: isOfAws(hostname) ? snsOrigin(arn) : origin },
  }
}

const isOfAws = (host: string): boolean => /\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$/i.test(host)

function snsOrigin(arn: string): string {
  const [, partition, region] = TOPIC.exec(arn) ?? []
  return `https://sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
}

/** How the setting of a provider names one. */
export const SES: readonly string[] = ['ses://']

/** The account that the address of a provider names; null where it is none of Amazon's. Throws as `sesAccount`. */
export function sesAccountIn(address: string): SesAccount | null {
  return SES.some((start) => address.startsWith(start)) ? sesAccount(address) : null
}
