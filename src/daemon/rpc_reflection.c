/* daemon/rpc_reflection.c - the standard reflection service, so that grpcurl and its like need no proto
 * files. SPDX-License-Identifier: Apache-2.0 OR MIT */
#include <stdio.h>
#include <string.h>

#include "daemon/descriptors.h"
#include "daemon/rpc_call.h"
#include <reflection.pb-c.h>

typedef Grpc__Reflection__V1__ServerReflectionRequest request;
typedef Grpc__Reflection__V1__ServerReflectionResponse response;

static const char *const SERVICES[] = {"cuzk.v1.ProvingEngine", "grpc.health.v1.Health",
                                       "grpc.reflection.v1.ServerReflection",
                                       "grpc.reflection.v1alpha.ServerReflection"};

static const struct proto_descriptor *find(const char *name, bool by_file)
{
    for (const struct proto_descriptor *d = proto_descriptors; d->name; d++) {
        if (by_file ? strcmp(d->name, name) == 0 : false)
            return d;
        for (const char *const *s = d->symbols; !by_file && *s; s++)
            if (strcmp(*s, name) == 0)
                return d;
    }
    return NULL;
}

static void send_error(struct call *call, response *answer, const char *what)
{
    Grpc__Reflection__V1__ErrorResponse error = GRPC__REFLECTION__V1__ERROR_RESPONSE__INIT;
    error.error_code = GRPC_STATUS_NOT_FOUND;
    error.error_message = (char *)(uintptr_t)what;
    answer->message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
    answer->error_response = &error;
    call_write(call, &answer->base);
}

static void send_file(struct call *call, response *answer, const struct proto_descriptor *d)
{
    Grpc__Reflection__V1__FileDescriptorResponse files = GRPC__REFLECTION__V1__FILE_DESCRIPTOR_RESPONSE__INIT;
    if (!d) {
        send_error(call, answer, "no such file or symbol");
        return;
    }
    ProtobufCBinaryData data = {d->size, (uint8_t *)(uintptr_t)d->file};
    files.n_file_descriptor_proto = 1;
    files.file_descriptor_proto = &data;
    answer->message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
    answer->file_descriptor_response = &files;
    call_write(call, &answer->base);
}

static void send_services(struct call *call, response *answer)
{
    Grpc__Reflection__V1__ListServiceResponse list = GRPC__REFLECTION__V1__LIST_SERVICE_RESPONSE__INIT;
    Grpc__Reflection__V1__ServiceResponse rows[ARRAY_LEN(SERVICES)], *pointers[ARRAY_LEN(SERVICES)];
    for (size_t i = 0; i < ARRAY_LEN(SERVICES); i++) {
        grpc__reflection__v1__service_response__init(&rows[i]);
        rows[i].name = (char *)(uintptr_t)SERVICES[i];
        pointers[i] = &rows[i];
    }
    list.n_service = ARRAY_LEN(SERVICES);
    list.service = pointers;
    answer->message_response_case =
        GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
    answer->list_services_response = &list;
    call_write(call, &answer->base);
}

void rpc_reflect(struct call *call, const uint8_t *data, size_t size)
{
    response answer = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
    request *r =
        (void *)call_unpack(call, &grpc__reflection__v1__server_reflection_request__descriptor, data, size);
    if (!r)
        return;
    answer.valid_host = r->host;
    answer.original_request = r;
    switch (r->message_request_case) {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
        send_file(call, &answer, find(r->file_by_filename, true));
        break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
        send_file(call, &answer, find(r->file_containing_symbol, false));
        break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
        send_services(call, &answer);
        break;
    default: /* there are no extensions */
        send_error(call, &answer, "no such extension");
    }
    grpc__reflection__v1__server_reflection_request__free_unpacked(r, NULL);
}

/* One question after the other. */
void rpc_reflect_wrote(struct call *call)
{
    rpc_arrive(call);
}

void rpc_reflect_end(struct call *call)
{
    call_finish(call);
}
