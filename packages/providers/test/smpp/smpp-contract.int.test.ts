import { type Smsc, startSmsc } from '@tidings/testing/smsc'
import { statusCode } from '../../src/smpp/pdu.ts'
import { createSmppProvider } from '../../src/smpp/smpp-provider.ts'
import type { SmsProvider } from '../../src/sms/port.ts'
import { type Harness, type OtherSide, smsProviderContract } from '../contract/index.ts'

const REFUSALS = { recipient: 'ESME_RINVDSTADR', refused: 'ESME_RINVSRCADR', temporary: 'ESME_RX_T_APPN' } as const

/** Numbers are without their plus on the wire. */
const isTo = (to: string) => (message: Readonly<{ to: string }>) => `+${message.to}` === to

function otherSideOf({ rules, stop, start }: Smsc): OtherSide {
  return {
    behave: () => {
      rules.submit = () => 0
    },
    refuse: (to, how) => {
      rules.submit = (message) => (isTo(to)(message) ? statusCode(REFUSALS[how]) : 0)
    },
    cutAfterTaking: (to) => {
      rules.submit = (message) => (isTo(to)(message) ? 'cut' : 0)
    },
    stall: (to) => {
      rules.submit = (message) => (isTo(to)(message) ? 'stall' : 0)
    },
    limitRate: (times) => {
      let left = times
      rules.submit = () => (left-- > 0 ? statusCode('ESME_RTHROTTLED') : 0)
    },
    limitOne: (to) => {
      rules.submit = (message) => (isTo(to)(message) ? statusCode('ESME_RMSGQFUL') : 0)
    },
    hold: (until) => {
      rules.submit = () => until.then(() => 0)
    },
    stop,
    start,
  }
}

async function opened(callMs: number): Promise<Harness<SmsProvider>> {
  const smsc = await startSmsc()
  const provider = createSmppProvider({ url: smsc.url, callMs })
  const taken = async () => smsc.taken().map(({ to, from, text }) => ({ to: `+${to}`, from, text }))
  const close = async () => {
    await provider.close()
    await smsc.stop()
  }
  return { provider, taken, secrets: ['s3cret'], otherSide: otherSideOf(smsc), close }
}

smsProviderContract('SMPP', { hasOtherSide: true, open: opened })
