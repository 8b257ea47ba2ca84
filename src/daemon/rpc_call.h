/* daemon/rpc_call.h - calls in hand, as the services see them. Private to rpc_*.c.
 *
 * A call is kept by references: one till its end was seen (its stream is closed), one for each operation that
 * gRPC has not completed, one for each list it stands in. Operations on one call are started under its lock.
 * SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef DAEMON_RPC_CALL_H
#define DAEMON_RPC_CALL_H

#include <pthread.h>

#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <protobuf-c/protobuf-c.h>

#include "daemon/rpc.h"

struct call;

/* What the service wants from its messages. */
enum method_shape {
    METHOD_UNARY = 0,     /* start gets the one message; one answer */
    METHOD_SERVER_STREAM, /* the same; call_write as often as it likes, then call_finish */
    METHOD_READS,         /* message gets each one, end when the client sends no more */
};

/* Whose messages are counted together while they arrive (rpc_arrive.c). */
enum arrivals { ARRIVALS_SMALL = 0, ARRIVALS_PROOFS, ARRIVALS_STREAMS };
#define ARRIVALS 3

struct method {
    const char *name; /* "/cuzk.v1.ProvingEngine/Prove" */
    enum method_shape shape;
    enum arrivals arrivals;
    void (*start)(struct call *call, const uint8_t *data, size_t size);
    void (*message)(struct call *call, const uint8_t *data, size_t size);
    void (*end)(struct call *call);
    void (*wrote)(struct call *call);   /* a message of a stream was sent: the next may follow; may be NULL */
    void (*gone)(struct call *call);    /* the client left or its deadline passed; may be NULL */
    void (*sent)(struct call *call);    /* the answer is on its way; may be NULL */
    void (*release)(struct call *call); /* call->state is no longer needed; may be NULL */
};

enum call_step { STEP_NEW = 0, STEP_CLOSED, STEP_READ, STEP_WROTE, STEP_SENT, CALL_STEPS };
struct call_tag {
    struct call *call;
    enum call_step step;
};

struct call {
    struct rpc *rpc;
    const struct method *method; /* NULL: of no known name */
    void *registered;            /* gRPC's handle of the method */
    grpc_call *core;
    gpr_timespec deadline;
    grpc_metadata_array metadata;
    grpc_call_details details; /* method NULL */
    grpc_byte_buffer *incoming;
    int cancelled;
    struct call_tag tags[CALL_STEPS];

    pthread_mutex_t lock;
    unsigned refs;
    bool greeted, finished, over; /* first metadata sent; answer started; stream closed */
    bool writing;
    uint64_t arrives_ns; /* in the list of those that arrive: since when */

    uint64_t received_ns, answered_ns;
    struct call *next, *previous; /* in one of the lists of rpc */
    struct call_list *list;
    /* of calls about a job */
    char job_id[ENGINE_JOB_ID];
    bool attached, is_prove, dirty;
    uint64_t expires_ns, written_ns; /* 0: never */
    void *state;                     /* the service's own */
};

/* Calls that wait for something. Each stands in one list at most. */
struct call_list {
    struct call *first, *last; /* the one that came last, and the one that stands there longest */
    unsigned count;
};

struct rpc {
    struct engine *engine;
    struct config config; /* under the lock, what reloads */
    const struct log *log;
    grpc_server *server;
    grpc_completion_queue *queue;
    pthread_t threads[64];
    unsigned thread_count;
    char sockets[8][CONFIG_TEXT]; /* files to remove */
    unsigned socket_count;
    pthread_mutex_t lock; /* of the lists */
    struct call_list waiters, watchers, health;
    struct call_list queued[ARRIVALS], arriving[ARRIVALS]; /* for a place, and with one */
    unsigned arriving_count[ARRIVALS];                     /* places taken */
    unsigned preloads;                                     /* running, with their own threads */
    _Atomic uint64_t streaming;                            /* bytes of payloads that come in streams */
    _Atomic bool stopping;
    _Atomic unsigned handed; /* counts operations begun: orders what came before them for those who go on with
                                their calls, by means that checkers of races see, which gRPC's are not */
};

/* ---- calls ---- */

void call_keep(struct call *call);
void call_drop(struct call *call);

/* End a unary call, or one that reads, with an answer; or any call with a status alone. Only the first end
 * counts. */
void call_reply(struct call *call, const ProtobufCMessage *answer);
void call_fail(struct call *call, grpc_status_code code, const char *message);
void call_fail_status(struct call *call, cuzk_status status, const struct cuzk_error *e);
/* Send a message of a stream; false: one is still on its way, or the call has ended. */
bool call_write(struct call *call, const ProtobufCMessage *message);
void call_finish(struct call *call); /* end a stream well */
bool call_read(struct call *call);   /* ask for the next message; false: the call has ended */

/* A message, or NULL after the call was failed. */
ProtobufCMessage *call_unpack(struct call *call, const ProtobufCMessageDescriptor *type, const uint8_t *data,
                              size_t size);

/* Put into a list, holding a reference; take out: false if another has done so. */
void call_enlist(struct call_list *list, struct call *call);
bool call_delist(struct call *call);
/* The same if fewer than `most` stand in it. */
bool call_enlist_below(struct call_list *list, struct call *call, unsigned most);
/* Take out the one that stands in it longest; its reference becomes the caller's. NULL: there is none. */
struct call *call_take_oldest(struct rpc *rpc, struct call_list *list);

/* The engine's settings of now; the texts are not to be used. */
void rpc_settings(struct rpc *rpc, struct engine_options *out);

/* rpc_arrive.c: ask for the call's next message as soon as there is a place for it. It is there, or will not
 * come: the call stands in no list any more. It is done with: its place is free. Turn away those that take
 * too long while others wait. */
void rpc_arrive(struct call *call);
void rpc_arrived(struct call *call);
void rpc_handled(struct call *call);
void rpc_arrive_tick(struct rpc *rpc, uint64_t now);

/* ---- services ---- */

extern const struct method rpc_methods[];
extern const size_t rpc_method_count;

/* rpc_jobs.c */
void rpc_submit(struct call *call, const uint8_t *data, size_t size);
void rpc_await(struct call *call, const uint8_t *data, size_t size);
void rpc_prove(struct call *call, const uint8_t *data, size_t size);
void rpc_cancel(struct call *call, const uint8_t *data, size_t size);
void rpc_waiter_gone(struct call *call);
void rpc_waiter_sent(struct call *call);
void rpc_job_done(struct rpc *rpc, const char *job_id);
void rpc_expire(struct rpc *rpc, uint64_t now);
void rpc_abandon(struct rpc *rpc); /* answer all that wait: the engine has stopped */

/* Fill in a submission from a message; false: the call was failed. pieces: of all bytes in the message, the
 * caller's, for mem_free. */
struct Cuzk__V1__SubmitProofRequest;
struct submission_parts {
    struct engine_submission submission;
    struct engine_piece *pieces;
};
bool rpc_submission(struct call *call, struct submission_parts *out,
                    const struct Cuzk__V1__SubmitProofRequest *request);
void rpc_reply_ticket(struct call *call, const struct engine_ticket *ticket, const char *request_id);

/* rpc_stream.c */
void rpc_stream_message(struct call *call, const uint8_t *data, size_t size);
void rpc_stream_end(struct call *call);
void rpc_stream_release(struct call *call);

/* rpc_watch.c */
void rpc_watch(struct call *call, const uint8_t *data, size_t size);
void rpc_watch_event(struct rpc *rpc, const char *job_id);
void rpc_watch_tick(struct rpc *rpc, uint64_t now);
void rpc_list_gone(struct call *call);

/* rpc_status.c */
void rpc_get_status(struct call *call, const uint8_t *data, size_t size);
void rpc_get_metrics(struct call *call, const uint8_t *data, size_t size);
void rpc_preload(struct call *call, const uint8_t *data, size_t size);
void rpc_evict(struct call *call, const uint8_t *data, size_t size);

/* rpc_health.c */
void rpc_health_check(struct call *call, const uint8_t *data, size_t size);
void rpc_health_watch(struct call *call, const uint8_t *data, size_t size);
void rpc_health_tick(struct rpc *rpc);

/* rpc_reflection.c: version v1alpha has the same messages under another name */
void rpc_reflect(struct call *call, const uint8_t *data, size_t size);
void rpc_reflect_end(struct call *call);
void rpc_reflect_wrote(struct call *call);

#endif
