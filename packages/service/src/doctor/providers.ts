import { join } from 'node:path'
import { type Config, hasProvider, providerTimeoutMs, readVapidKey, vapidKeys } from '@tidings/config'
import { type PushTryOptions, providersNamed, tryProvider, tryPushProvider } from '@tidings/providers'
import { webPush } from '@tidings/providers/registry'

const NO_TEXTS = 'none is configured: text messages stay queued, and passcodes by text are refused'
const NO_CALLS = 'none is configured: passcodes by call are refused'
const NO_KEYS = 'no keys are configured: pushes stay queued, and browsers cannot subscribe'

/** What is tried of the email provider, and by what settings. */
export type EmailTry = Readonly<{
  email: Readonly<{ provider: string; timeoutMs: number; rate: number | null }>
  environment: string
  sending: Readonly<{ allowOutbox: string | number }>
}>

/** Tries the provider as sending uses it; throws one sentence when mail could not leave. */
export async function checkEmailProvider(config: EmailTry): Promise<string> {
  if (!hasProvider(config, 'email')) throw new Error('no provider is configured: messages stay in the development outbox.')
  const { provider, timeoutMs, rate } = config.email
  const said = await triedInOrder('email', provider, timeoutMs)
  return rate === null ? said : `${said}; at most ${rate} mails a second`
}

/** Tries the provider of text messages; throws one sentence when none could leave. An installation may do without one. */
export async function checkSmsProvider(config: Config): Promise<string> {
  return hasProvider(config, 'sms') ? await tried(config, 'sms') : NO_TEXTS
}

/** The same for calls. */
export async function checkVoiceProvider(config: Config): Promise<string> {
  return hasProvider(config, 'voice') ? await tried(config, 'voice') : NO_CALLS
}

function tried(config: Config, channel: 'sms' | 'voice'): Promise<string> {
  return triedInOrder(channel, config[channel].provider, providerTimeoutMs(config, channel))
}

/** Tries each provider of a setting (M68). Throws one sentence with what all of them say where one could not be used. */
async function triedInOrder(channel: 'email' | 'sms' | 'voice', setting: string, callMs: number): Promise<string> {
  const named = providersNamed(channel, setting)
  const answers = await Promise.all(
    named.map(async ({ label, address }) => {
      try {
        const { said, lifted } = await tryProvider(channel, { provider: address, callMs })
        return { isUsable: true, label, said: [said, ...lifted].join('; ') }
      } catch (error) {
        return { isUsable: false, label, said: error instanceof Error ? error.message : String(error) }
      }
    }),
  )
  const isOne = named.length === 1
  const usable = answers.filter(({ isUsable }) => isUsable).length
  const each = answers.map(({ label, said, isUsable }) => (isOne ? said : `${label}${isUsable ? '' : ' FAILS'}: ${said}`)).join(' | ')
  if (usable === named.length) return each
  if (isOne) throw new Error(each)
  const few =
    usable === 0
      ? 'none can be used, so nothing leaves'
      : `${usable} of ${named.length} can be used, and messages leave by ${usable === 1 ? 'it' : 'them'}`
  throw new Error(`${few}: ${each}`)
}

/** Throws one sentence when push services would refuse the pushes. The result has the public key alone. An installation may do without. */
export async function checkPush(config: Config): Promise<string> {
  if (!hasProvider(config, 'push')) return NO_KEYS
  const { said, lifted } = await tryPushProvider(config.push.provider ?? webPush.name, { readKeys: () => readKeys(config) })
  return [said, ...lifted].join('; ')
}

/** Reads the keys of web push as a start does, and makes none. */
async function readKeys(config: Config): ReturnType<PushTryOptions['readKeys']> {
  const { push, storage } = config
  const isGiven = push.vapidPrivateKey !== null || push.vapidPublicKey !== null
  const mayBeMade = !isGiven && storage.databaseUrl === null
  if (mayBeMade && (await readVapidKey(storage.dataDir)) === null) return 'the first start makes the keys'
  const keys = await vapidKeys(config).catch(() => {
    throw new Error(`${join(storage.dataDir, 'vapid.key')} holds no key: restore it from a backup`)
  })
  return keys === null ? NO_KEYS : { ...keys, isGiven }
}
