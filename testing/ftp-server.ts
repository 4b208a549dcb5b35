import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { FTP_PYTHON } from './require-ftp-server.ts'

const PROGRAM = `
import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer
authorizer = DummyAuthorizer()
authorizer.add_anonymous(sys.argv[1])
FTPHandler.authorizer = authorizer
server = FTPServer(('127.0.0.1', 0), FTPHandler)
print(server.address[1], flush=True)
server.serve_forever()
`

export interface FtpServer {
  readonly port: number
  close(): Promise<void>
}

/** A real FTP server (pyftpdlib) for the files of a folder, on a free port of 127.0.0.1. */
export async function startFtpServer(folder: string): Promise<FtpServer> {
  const server = spawn(FTP_PYTHON, ['-c', PROGRAM, folder], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
  return {
    port: Number(line),
    async close() {
      const exited = once(server, 'exit')
      server.kill()
      await exited
    },
  }
}
