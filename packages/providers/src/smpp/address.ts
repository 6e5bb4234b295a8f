import { networkPhone } from '@tidings/addresses'
import { DeliveryError } from '../port.ts'

/** Type of number and numbering plan (SMPP 3.4 §5.2.5, §5.2.6) with the address. */
export type SmppAddress = Readonly<{ ton: number; npi: number; address: string }>

const INTERNATIONAL = { ton: 1, npi: 1 }
const NATIONAL = { ton: 2 }
const NETWORK_SPECIFIC = { ton: 3, npi: 0 }
const ALPHANUMERIC = { ton: 5, npi: 0 }

/** The fewest digits of a number: shorter ones are short codes of one network. */
const LONGEST_SHORT_CODE = 6
/** An SMPP address has 20 characters and its end. */
const LONGEST = 20

/** A sender: a number is international, up to six digits without a plus are a short code, everything else is alphanumeric. */
export function senderAddress(from: string): SmppAddress {
  if (/^\+\d+$/.test(from)) return checked({ ...INTERNATIONAL, address: from.slice(1) })
  if (/^\d+$/.test(from)) return checked({ ...(from.length <= LONGEST_SHORT_CODE ? NETWORK_SPECIFIC : INTERNATIONAL), address: from })
  return checked({ ...ALPHANUMERIC, address: from })
}

/** A recipient in E.164. */
export function recipientAddress(to: string): SmppAddress {
  return checked({ ...INTERNATIONAL, address: to.replace(/^\+/, '') })
}

function checked(address: SmppAddress): SmppAddress {
  if (address.address.length <= LONGEST && /^[\x20-\x7e]+$/.test(address.address)) return address
  throw new DeliveryError('refused', 'The sender or the recipient cannot be written in SMPP: 1 to 20 ASCII characters.')
}

/**
 * An address of a PDU as we write numbers: with a plus where it says that it is international, else as the country of the SMSC writes numbers. What
 * is none of its numbers stays as it is.
 */
export function readAddress(address: string, ton: number | null, country: string | null = null): string {
  if (ton === INTERNATIONAL.ton && /^\d+$/.test(address)) return `+${address}`
  if (country === null || ton === ALPHANUMERIC.ton || ton === NETWORK_SPECIFIC.ton) return address
  return networkPhone(address, country, ton === NATIONAL.ton) ?? address
}
