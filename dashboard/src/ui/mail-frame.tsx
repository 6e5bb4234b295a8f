import styles from './mail-frame.module.css'

/**
 * Content that a stranger may have written, in a frame without script and of no origin: its own answer carries the policy. A new address is a new
 * frame, so that going back does not step through mails.
 */
export function MailFrame({ address, title }: Readonly<{ address: string; title: string }>) {
  return <iframe key={address} src={address} title={title} sandbox="" className={styles.frame} referrerPolicy="no-referrer" />
}
