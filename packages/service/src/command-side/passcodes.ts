import type { Config } from '@tidings/config'
import type { Log } from '@tidings/log'
import { createPasscodes, type Passcodes } from '@tidings/passcodes'
import { countProviderCall } from '@tidings/providers'
import { countPasscodeRefusal } from '../metrics/metrics.ts'
import type { PhoneProviders } from '../providers/phone-providers.ts'
import type { Stores } from '../stores/open-stores.ts'
import type { CommandSide } from './command-side.ts'

type Parts = Readonly<{ config: Config; log: Log; stores: Stores; commandSide: CommandSide; phones: PhoneProviders }>

/** Passcodes of this process, over its providers and wallets. */
export function startPasscodes({ config, log, stores, commandSide, phones }: Parts): Passcodes {
  const { log: eventLog, pool, keyRing, masters } = stores
  const { commands, wallets, senderNumbers } = commandSide
  return createPasscodes({
    commands,
    wallets,
    log: eventLog,
    pool,
    keyRing,
    derive: masters.derivers,
    providers: { sms: phones.passcodeSms, voice: phones.voice },
    ownNumberOf: senderNumbers.numberOf,
    now: commandSide.dependencies.now,
    limits: config.passcodes,
    onRefused: countPasscodeRefusal,
    onCall: countProviderCall,
    onFault: (error) => log.warn({ err: error }, 'something beside a passcode failed; the wallet sweep and the retention make up for it'),
  })
}
