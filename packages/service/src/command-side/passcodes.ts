import type { Config } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { counter } from '@tidings/observability/metrics'
import { createPasscodes, type Passcodes } from '@tidings/passcodes'
import { countProviderCall } from '@tidings/providers'
import type { PhoneProviders } from '../providers/phone-providers.ts'
import type { Stores } from '../stores/open-stores.ts'
import type { CommandSide } from './command-side.ts'

const passcodeRefusals = counter({
  name: 'tidings_passcodes_refused_total',
  help: 'Passcodes refused by a cap: five in ten minutes to a number, or the hourly ones of the workspace, to one prefix or altogether',
  labelNames: ['cap'],
})

type PasscodesDependencies = Readonly<{ config: Config; log: Log; stores: Stores; commandSide: CommandSide; phones: PhoneProviders }>

/** Passcodes of this process, over its providers and wallets. */
export function startPasscodes({ config, log, stores, commandSide, phones }: PasscodesDependencies): Passcodes {
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
    onRefused: (cap) => passcodeRefusals.inc({ cap }),
    onCall: countProviderCall,
    onFault: (error) => log.warn({ err: error }, 'something beside a passcode failed; the wallet sweep and the retention make up for it'),
  })
}
