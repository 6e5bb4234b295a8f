import { DeliveryError, type DeliveryFailure } from '../port.ts'
import { Throttled } from '../throttle/throttled.ts'
import { statusCode, statusName } from './pdu.ts'

/** `throttled`: the SMSC is asked too often; `queue full`: that of the recipient, or of all. Neither was taken, and it may be submitted again. */
export type Refusal = Exclude<DeliveryFailure, 'unconfirmed'> | 'throttled' | 'queue full'

/** What a command_status of submit_sm_resp means. Status codes that are not listed, a vendor's own among them, may pass: `temporary`. */
const MEANINGS: Readonly<Record<Exclude<Refusal, 'temporary'>, readonly string[]>> = {
  throttled: ['ESME_RTHROTTLED'],
  'queue full': ['ESME_RMSGQFUL'],
  recipient: ['ESME_RINVDSTADR'],
  outage: ['ESME_RINVBNDSTS', 'ESME_RALYBND', 'ESME_RBINDFAIL'],
  refused: [
    'ESME_RINVMSGLEN',
    'ESME_RINVCMDLEN',
    'ESME_RINVCMDID',
    'ESME_RINVPRTFLG',
    'ESME_RINVREGDLVFLG',
    'ESME_RINVSRCADR',
    'ESME_RINVSERTYP',
    'ESME_RINVDESTFLAG',
    'ESME_RINVSUBREP',
    'ESME_RINVESMCLASS',
    'ESME_RINVSRCTON',
    'ESME_RINVSRCNPI',
    'ESME_RINVDSTTON',
    'ESME_RINVDSTNPI',
    'ESME_RINVSYSTYP',
    'ESME_RINVREPFLAG',
    'ESME_RINVSCHED',
    'ESME_RINVEXPIRY',
    'ESME_RINVDFTMSGID',
    'ESME_RX_P_APPN',
    'ESME_RX_R_APPN',
    'ESME_RINVTLVSTREAM',
    'ESME_RTLVNOTALLWD',
    'ESME_RINVTLVLEN',
    'ESME_RMISSINGTLV',
    'ESME_RINVTLVVAL',
    'ESME_RSERTYPUNAUTH',
    'ESME_RPROHIBITED',
    'ESME_RSERTYPUNAVAIL',
    'ESME_RSERTYPDENIED',
    'ESME_RINVDCS',
  ],
}

const BY_CODE: ReadonlyMap<number, Refusal> = new Map(
  Object.entries(MEANINGS).flatMap(([refusal, names]) => names.map((name) => [statusCode(name), refusal as Refusal])),
)

export function refusalOf(status: number): Refusal {
  return BY_CODE.get(status) ?? 'temporary'
}

/** The error of a submit that was refused. */
export function refusedSubmit(status: number, failure: Refusal): DeliveryError {
  if (failure === 'throttled' || failure === 'queue full') {
    const about = failure === 'throttled' ? 'sender' : 'recipient'
    return new Throttled(`The SMSC throttles: ${statusName(status)}.`, { response: statusName(status), about })
  }
  return new DeliveryError(failure, `The SMSC refused the message: ${statusName(status)}.`, { response: statusName(status) })
}

/** The error of a submit that was refused because the recipient asked the SMSC to stop (M49). */
export function optedOut(status: number): DeliveryError {
  const response = statusName(status)
  return new DeliveryError('refused', `The SMSC refused the message: the recipient opted out (${response}).`, { response, isOptOut: true })
}
