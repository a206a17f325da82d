// The connection to the server, which comes back by itself.

const PAUSES = [0.5, 1, 2, 4, 8, 15];

export class Socket {
  // `on` has message(message), lost(seconds until the next try), closed(reason).
  constructor(address, on) {
    this.address = address;
    this.on = on;
    this.tries = 0;
    this.timer = 0;
    window.addEventListener("online", () => this.timer && this.open());
  }

  open() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.line = new WebSocket(this.address);
    this.line.addEventListener("message", (event) => {
      this.tries = 0;
      this.on.message(JSON.parse(event.data));
    });
    this.line.addEventListener("close", (event) => this.#closed(event));
  }

  send(message) {
    const open = this.line.readyState === WebSocket.OPEN;
    if (open) this.line.send(JSON.stringify(message));
    return open;
  }

  #closed(event) {
    // The server says with 4xxx that another try would be told the same.
    if (event.code >= 4000) {
      this.on.closed(event.reason || `the server closed the connection with code ${event.code}`);
      return;
    }
    const pause = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
    this.tries += 1;
    this.timer = setTimeout(() => this.open(), pause * 1000);
    this.on.lost(pause);
  }
}
