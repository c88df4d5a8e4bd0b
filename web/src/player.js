// player.js: the time, and what happens when it changes.

export class Player {
  constructor(times, onTime) {
    this.times = times;
    this.start = times[0];
    this.end = times[times.length - 1];
    this.time = this.start;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    this.passed = 0; // s between the last two pictures
    this.onTime = onTime; // called after each change
    this.tick = this.tick.bind(this);
  }

  play() {
    if (this.playing || this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = undefined;
    requestAnimationFrame(this.tick);
    this.onTime();
  }

  pause() {
    this.playing = false;
    this.onTime();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.onTime();
  }

  // By whole frames, from the nearest one; stops.
  step(frames, nearest) {
    this.playing = false;
    const index = Math.min(Math.max(nearest + frames, 0), this.times.length - 1);
    this.seek(this.times[index]);
  }

  tick(now) {
    if (!this.playing) return;
    // a page that was in the background does not jump
    this.passed = this.last === undefined ? 0 : Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    this.time += this.passed * this.speed;
    if (this.time >= this.end) {
      if (this.loop) this.time = this.start + ((this.time - this.start) % (this.end - this.start));
      else {
        this.time = this.end;
        this.playing = false;
      }
    }
    this.onTime();
    if (this.playing) requestAnimationFrame(this.tick);
  }
}
