import type { KafkaSettings } from './settings.ts'

/** Kafka that cannot be used as it is configured: one sentence that names the setting, without its value. */
export class KafkaMisconfigured extends Error {
  override readonly name = 'KafkaMisconfigured'
}

type Fault = Readonly<{ name?: string; message?: string; code?: unknown; broker?: string; cause?: unknown }>

const CERTIFICATE =
  /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_(VERIFY|GET)|CERT_(HAS_EXPIRED|NOT_YET|SIGNATURE|UNTRUSTED|REJECTED|REVOKED)|INVALID_CA|INVALID_PURPOSE)/
const NO_TLS = /^(EPROTO|ERR_SSL_)/
const CUT_HANDSHAKE = /before secure TLS connection was established/
const ILLEGAL_SASL_STATE = 34

/** The sentence for an error of the client that only a changed setting, here or at the brokers, can mend; null for any other. */
const sentenceOf = ({ name, message = '', code, broker }: Fault, { brokers }: KafkaSettings): string | null => {
  const at = `Kafka at ${broker ?? brokers.join(',')}`
  const said = message.replace(/^Connection error: /, '')
  if (name === 'KafkaJSSASLAuthenticationError')
    return `${at} refuses the login of TIDINGS_KAFKA_SASL: correct its mechanism, user or password.`
  if (code === ILLEGAL_SASL_STATE) return `${at} takes no login on this port: unset TIDINGS_KAFKA_SASL, or name the port that takes one.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${at} is for another name: correct TIDINGS_KAFKA_BROKERS, or what the brokers advertise.`
  if (typeof code === 'string' && CERTIFICATE.test(code))
    return `The certificate of ${at} is not trusted (${said}): set TIDINGS_KAFKA_TLS to the file of the CA that signed it, or renew it.`
  if ((typeof code === 'string' && NO_TLS.test(code)) || CUT_HANDSHAKE.test(message))
    return `${at} does not speak TLS on this port: unset TIDINGS_KAFKA_TLS, or name the port that does.`
  return null
}

/** The same error, or the sentence for it. */
export function explained(error: unknown, settings: KafkaSettings): unknown {
  for (let fault = error; fault instanceof Error; fault = fault.cause) {
    const sentence = sentenceOf(fault, settings)
    if (sentence !== null) return new KafkaMisconfigured(sentence, { cause: error })
  }
  return error
}
