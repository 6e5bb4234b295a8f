import { Kbd, Modal } from '@mantine/core'
import { useWords } from '../words/words.tsx'
import { findKeys } from './find-keys.ts'
import styles from './key-list.module.css'

/** The keys of the dashboard, by `?` and from the account menu. */
export function KeyList({ opened, onClose }: Readonly<{ opened: boolean; onClose: () => void }>) {
  const { app, keys } = useWords()
  const all = [
    [findKeys().split(' '), keys.find],
    [['/'], keys.filter],
    [['j', 'k'], keys.rows],
    [['Enter'], keys.open],
    [['Esc'], keys.back],
    [['?'], keys.list],
  ] as const
  return (
    <Modal opened={opened} onClose={onClose} title={keys.title} closeButtonProps={{ 'aria-label': app.close }}>
      <dl className={styles.keys}>
        {all.map(([pressed, does]) => (
          <div key={does}>
            <dt dir="ltr">
              {pressed.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.note}>{keys.note}</p>
    </Modal>
  )
}
